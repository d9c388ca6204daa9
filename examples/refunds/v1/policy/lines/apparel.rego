package lines.apparel

import rego.v1

default disposition := "deny"

disposition := "refer" if returns_often

disposition := "approve" if {
	entitled
	not returns_often
}

window_days := 30

returns_often if input.grounds.prior_refunds >= 6

entitled if {
	input.grounds.reason == "changed_mind"
	input.grounds.condition in {"unopened", "opened"}
	input.grounds.days_since_delivery <= window_days
}

entitled if {
	input.grounds.reason == "defect"
	input.grounds.evidence in {"statement", "photo", "inspection"}
	input.grounds.days_since_delivery <= 180
}

entitled if {
	input.grounds.reason == "wrong_item"
	input.grounds.condition != "worn"
	input.grounds.days_since_delivery <= window_days
}

entitled if {
	input.grounds.reason == "late"
	input.grounds.days_since_delivery <= 14
}

default fee_percent := 0

fee_percent := 15 if {
	input.grounds.reason == "changed_mind"
	input.grounds.condition == "opened"
}
