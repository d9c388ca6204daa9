"""The loop: shared prefixes computed once, rows decoded together. All arithmetic happens here."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from decidendi.judgment import DecidendiError
from decidendi.models._prefix import Layout
from decidendi.models._row import Row

if TYPE_CHECKING:
    import torch
    from torch import Tensor
    from transformers import Cache, PreTrainedConfig, PreTrainedModel

ROOM = 256
"""Columns added to the cache at a time. Growing it by one column copies all of it each step."""

CROWD = 0.75
"""Finished rows are taken out of the batch once no more than this share is still going on."""


@lru_cache(maxsize=1)
def _layer_class() -> type[Any]:
    """Return the class of one layer's cache: written in place, grown in large steps.

    Made in a function because the libraries it builds on are an extra.
    """
    from transformers.cache_utils import DynamicLayer

    class RoomyLayer(DynamicLayer):  # type: ignore[misc]  # the library is not type-checked here
        """Keys and values ``[rows, heads, columns, size]``, as views of a larger store."""

        stores: tuple[Tensor, Tensor] | None = None

        def update(
            self, keys: Tensor, values: Tensor, *_: object, **__: object
        ) -> tuple[Tensor, Tensor]:
            """Append columns; return all of them."""
            if not self.is_initialized:
                self.lazy_initialization(keys, values)
            old = self.get_seq_length()
            new = old + keys.shape[-2]
            if self.stores is None or new > self.stores[0].shape[-2]:
                self.stores = self._larger(keys, old, new), self._larger(values, old, new, True)
            for store, part in zip(self.stores, (keys, values), strict=True):
                store[:, :, old:new] = part
            self.keys, self.values = (store[:, :, :new] for store in self.stores)
            return self.keys, self.values

        def _larger(self, like: Tensor, old: int, new: int, of_values: bool = False) -> Tensor:
            store = like.new_empty((*like.shape[:2], new + ROOM, like.shape[3]))
            if old:
                store[:, :, :old] = self.values if of_values else self.keys
            return store

        def only(self, rows: Tensor) -> None:
            """Keep some rows."""
            if self.stores is not None:
                stores = tuple(store.index_select(0, rows) for store in self.stores)
                length = self.get_seq_length()
                self.stores = stores
                self.keys, self.values = (store[:, :, :length] for store in stores)

    return RoomyLayer


class Engine:
    """Runs one causal language model.

    Attributes:
        shares: The model can share prefixes and batch: all its attention is over all tokens.
            Others are run one prompt at a time, without padding.
        prefilled: How many prompt tokens have been computed so far, padding included.
    """

    def __init__(self, model: PreTrainedModel, pad: int) -> None:
        """Take a model in evaluation mode, and a token to pad with."""
        self._model = model
        self._pad = pad
        self.shares = _attends_to_all(model.config.get_text_config())
        self.prefilled = 0

    def run(self, layout: Layout, rows: Sequence[Row]) -> None:
        """Generate until every row is finished.

        Args:
            layout: Prompts, in the order of ``rows``; one prompt only if not ``shares``.
            rows: Answers, which decide what comes next.

        Raises:
            DecidendiError: if the model's output is not a number.
        """
        import torch

        with torch.inference_mode():
            batch = _Batch(self, layout)
            live = list(rows)
            while True:
                tokens = self._advance(batch.logits, live)
                going = [place for place, token in enumerate(tokens) if token is not None]
                if not going:
                    return
                if len(going) <= CROWD * len(live):
                    batch.only(going)
                    live = [live[place] for place in going]
                    tokens = [tokens[place] for place in going]
                batch.feed([self._pad if token is None else token for token in tokens])

    def _advance(self, logits: Tensor, live: Sequence[Row]) -> list[int | None]:
        """Offer each row its next token, ``logits`` being ``[rows, vocabulary]``."""
        best = logits.topk(2, dim=-1)
        gaps = (best.values[:, 0] - best.values[:, 1]).tolist()
        if any(gap != gap for gap in gaps):
            raise DecidendiError("the model's output is not a number (NaN); try dtype float32")
        tokens: list[int | None] = []
        for place, (row, choice) in enumerate(zip(live, best.indices[:, 0].tolist(), strict=True)):
            if row.finish is not None:
                tokens.append(None)
                continue
            if (candidates := row.candidates) is not None:
                log_probs = logits[place].float().log_softmax(-1)
                read = {name: float(log_probs[t]) for name, t in candidates.token_ids.items()}
                row.read(read)
            gap = gaps[place]
            if heat := row.temperature:
                choice, gap = _drawn(logits[place], heat, row.chance()), None
            tokens.append(row.step(choice, gap))
        return tokens

    def forward(self, cache: Cache, ids: Tensor, mask: Tensor | None, positions: Tensor) -> Tensor:
        """Return the logits after the last column, ``[rows, vocabulary]``, in float32."""
        output = self._model(
            input_ids=ids, attention_mask=mask, position_ids=positions, cache=cache,
            use_cache=True, logits_to_keep=1,
        )  # fmt: skip
        logits: Tensor = output.logits[:, -1]
        return logits.float()

    def new_cache(self) -> Cache:
        """Return an empty cache."""
        from transformers import DynamicCache

        if not self.shares:
            return DynamicCache(config=self._model.config)
        cache = DynamicCache()
        count = self._model.config.get_text_config().num_hidden_layers
        cache.layers = [_layer_class()() for _ in range(count)]
        return cache

    @property
    def pad(self) -> int:
        """The token to pad with; it is masked, so any will do."""
        return self._pad

    @property
    def device(self) -> torch.device:
        """Where tensors must be."""
        return self._model.device


class _Batch:
    """The tensors of one batch: cache, mask ``[rows, columns]``, next positions, last logits."""

    def __init__(self, engine: Engine, layout: Layout) -> None:
        """Compute all prompts."""
        import torch

        self._engine = engine
        device = engine.device
        self._cache = engine.new_cache()
        width = layout.prefix_width
        mask = torch.ones((len(layout.prefixes), width), dtype=torch.long, device=device)
        if width:
            ids, mask, positions = self._padded(layout.prefixes, [0] * len(layout.prefixes))
            whole = bool(mask.all())  # no padding: the library's quicker way without a mask
            engine.forward(self._cache, ids, None if whole else mask, positions)
            engine.prefilled += ids.numel()
            self._repeat(torch.tensor(layout.case_of, device=device))
        starts = [len(layout.prefixes[case]) for case in layout.case_of]
        ids, own, positions = self._padded(layout.suffixes, starts)
        self._mask = torch.cat([mask[list(layout.case_of)], own], dim=1)
        self.logits = engine.forward(self._cache, ids, self._mask, positions)
        engine.prefilled += ids.numel()
        lengths = [layout.length(row) for row in range(len(layout.suffixes))]
        self._next = torch.tensor(lengths, device=device)

    def _padded(
        self, texts: Sequence[Sequence[int]], starts: Sequence[int]
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return tokens, mask and positions, ``[rows, width]``, padded on the left."""
        import torch

        width = max(len(text) for text in texts)
        pads = [width - len(text) for text in texts]
        pad = self._engine.pad
        ids = [[pad] * gap + list(text) for gap, text in zip(pads, texts, strict=True)]
        mask = [[0] * gap + [1] * (width - gap) for gap in pads]
        places = [
            [start] * gap + list(range(start, start + width - gap))
            for gap, start in zip(pads, starts, strict=True)
        ]
        device = self._engine.device
        ids_t, mask_t, places_t = (torch.tensor(x, device=device) for x in (ids, mask, places))
        return ids_t, mask_t, places_t

    def _repeat(self, case_of: Tensor) -> None:
        """Turn the cache of one row per case into that of one row per prompt."""
        shared, self._cache = self._cache, self._engine.new_cache()
        for old, new in zip(shared.layers, self._cache.layers, strict=True):
            new.update(old.keys[case_of], old.values[case_of])

    def feed(self, tokens: Sequence[int]) -> None:
        """Go one column further."""
        import torch

        ids = torch.tensor(tokens, device=self._mask.device)[:, None]
        self._mask = torch.cat([self._mask, torch.ones_like(ids)], dim=1)
        positions = self._next[:, None]
        self.logits = self._engine.forward(self._cache, ids, self._mask, positions)
        self._next = self._next + 1

    def only(self, rows: Sequence[int]) -> None:
        """Keep some rows."""
        import torch

        chosen = torch.tensor(rows, device=self._mask.device)
        for layer in self._cache.layers:
            layer.only(chosen)
        self._mask, self._next = self._mask[chosen], self._next[chosen]


def _drawn(logits: Tensor, temperature: float, chance: float) -> int:
    """Return the token that a random number in [0, 1) picks, ``logits`` being ``[vocabulary]``."""
    import torch

    shares = (logits.to("cpu", torch.float64) / temperature).softmax(-1).cumsum(-1)
    return int(torch.searchsorted(shares, chance * shares[-1], right=True))


def _attends_to_all(config: PreTrainedConfig) -> bool:
    """Say whether every layer attends to every token before it."""
    kinds = getattr(config, "layer_types", None)
    if kinds:
        return set(kinds) == {"full_attention"}
    window = getattr(config, "sliding_window", None)
    return window is None or not getattr(config, "use_sliding_window", True)
