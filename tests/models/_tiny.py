"""A tiny Llama with random weights and a tokenizer of its own, saved as a folder."""

from __future__ import annotations

from pathlib import Path

TEXT = """The applicant was held in a cell of 12 square metres. Was Article 8 violated?
Was Article 3 violated? Reason inside <think> and </think>. VERDICT: YES VERDICT: NO
The court must decide whether there has been a violation. YES NO yes no 0 1 2 3 4"""
TEMPLATE = (
    "{% for m in messages %}<|start|>{{ m['role'] }}\n{{ m['content'] }}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|start|>assistant\n{% endif %}"
)


def save_tokenizer(folder: Path) -> int:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=340,
        special_tokens=["<|start|>", "<|end|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(TEXT.splitlines(), trainer)
    wrapped = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<|start|>", eos_token="<|end|>"
    )
    wrapped.chat_template = TEMPLATE
    wrapped.save_pretrained(str(folder))
    return len(wrapped)


def save_model(folder: Path, seed: int = 0, **changes: object) -> None:
    """Weights are drawn wide enough that no two tokens come close."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    size = save_tokenizer(folder)
    config = LlamaConfig(
        vocab_size=size, hidden_size=32, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=512,
        bos_token_id=0, eos_token_id=1, initializer_range=0.4, **changes,
    )  # fmt: skip
    torch.manual_seed(seed)
    LlamaForCausalLM(config).save_pretrained(str(folder))
