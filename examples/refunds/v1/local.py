"""Which parts of the policy and of the authority can affect one case."""


def select(grounds: dict, norms: dict, authority: dict) -> dict:
    """Keep the gate, the policy of the case's product line, and its region's desk.

    A part has the form of the whole with less in it, and the policy must say the same about
    this case whether it is given the part or the whole.
    """
    line = f"policy/lines/{grounds['line']}.rego"
    region = grounds["region"]
    return {
        "norms": {name: norms[name] for name in ("policy/refunds.rego", line) if name in norms},
        "authority": {region: authority[region]} if region in authority else {},
    }
