package lines.electronics

import rego.v1

default disposition := "deny"

disposition := "refer" if returns_often

disposition := "approve" if {
	entitled
	not returns_often
}

opened_window_days := 14

returns_often if input.grounds.prior_refunds >= 3

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
	input.grounds.evidence == "inspection"
	input.grounds.days_since_delivery <= 730
}

entitled if {
	input.grounds.reason == "defect"
	input.grounds.evidence in {"photo", "courier_report"}
	input.grounds.price_cents <= 15000
	input.grounds.days_since_delivery <= 365
}

entitled if {
	input.grounds.reason == "wrong_item"
	input.grounds.days_since_delivery <= 30
}

entitled if {
	input.grounds.reason == "late"
	input.grounds.condition in {"unopened", "opened"}
}

default fee_percent := 0

fee_percent := 10 if {
	input.grounds.reason == "changed_mind"
	input.grounds.condition == "opened"
}
