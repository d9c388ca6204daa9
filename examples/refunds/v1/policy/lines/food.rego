package lines.food

import rego.v1

default disposition := "deny"

disposition := "refer" if large_order

disposition := "approve" if {
	entitled
	not large_order
}

large_order if input.grounds.price_cents > 20000

spoiled_evidence := {"statement", "photo", "inspection"}

entitled if {
	input.grounds.reason == "defect"
	input.grounds.condition in {"opened", "damaged"}
	input.grounds.evidence in spoiled_evidence
	input.grounds.days_since_delivery <= 7
}

entitled if {
	input.grounds.reason == "wrong_item"
	input.grounds.condition == "unopened"
	input.grounds.days_since_delivery <= 7
}

entitled if {
	input.grounds.reason == "late"
	input.grounds.days_since_delivery <= 3
}

fee_percent := 0
