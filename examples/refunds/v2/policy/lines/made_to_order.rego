package lines.made_to_order

import rego.v1

default disposition := "deny"

disposition := "refer" if only_a_statement

disposition := "approve" if {
	entitled
	not only_a_statement
}

# A workshop looks at it before anyone decides.
only_a_statement if {
	input.grounds.reason == "defect"
	input.grounds.evidence == "statement"
}

entitled if {
	input.grounds.reason == "defect"
	input.grounds.evidence in {"photo", "inspection"}
	input.grounds.days_since_delivery <= 90
}

entitled if {
	input.grounds.reason == "wrong_item"
	input.grounds.days_since_delivery <= 60
}

fee_percent := 0
