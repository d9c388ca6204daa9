"""Which parts of the policy and of the authority can affect one case."""


def select(grounds: dict, sources: dict) -> dict:
    """Keep the gate, the policy of the case's product line, and its region's desk.

    A re-examination may correct anything about a case except its region and product line, so
    what is kept is the same for the old and the revised grounds.
    """
    line = f"policy/lines/{grounds['line']}.rego"
    region = grounds["region"]
    norms = {name: text for name, text in sources["norms"].items() if name.count("/") == 1}
    if line in sources["norms"]:
        norms[line] = sources["norms"][line]
    desks = {region: sources["authority"][region]} if region in sources["authority"] else {}
    return {"norms": norms, "authority": desks}
