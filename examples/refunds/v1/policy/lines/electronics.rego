package lines.electronics

import rego.v1

default disposition := "deny"

disposition := "refer" if returns_often

disposition := "approve" if {
	entitled
	not returns_often
}

opened_window_days := 30

returns_often if input.grounds.prior_refunds >= 5

entitled if {
	input.grounds.reason == "changed_mind"
	input.grounds.condition == "unopened"
	input.grounds.days_since_delivery <= 30
}

entitled if {
	input.grounds.reason == "changed_mind"
	input.grounds.condition == "opened"
	input.grounds.days_since_delivery <= opened_window_days
}

entitled if {
	input.grounds.reason == "defect"
	input.grounds.evidence in {"photo", "inspection"}
	input.grounds.days_since_delivery <= 365
}

entitled if {
	input.grounds.reason == "wrong_item"
	input.grounds.days_since_delivery <= 30
}

entitled if {
	input.grounds.reason == "late"
	input.grounds.condition == "unopened"
}

default fee_percent := 0

fee_percent := 20 if {
	input.grounds.reason == "changed_mind"
	input.grounds.condition == "opened"
}
