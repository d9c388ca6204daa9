# The gate, and the way from it to the merits.
package refunds

import rego.v1

# Whatever the desk may not decide goes to the head office.
default verdict := "refer"

verdict := merits if {
	within_scope
	within_limit
}

# What the desk of the case's region may decide on its own.
desk := input.authority[input.grounds.region]

within_scope if {
	input.grounds.channel in desk.channels
	input.grounds.line in desk.lines
}

merits := data.lines[input.grounds.line].disposition

# A limit is on money paid out: turning a request down needs none.
within_limit if merits != "approve"

within_limit if payable <= desk.limit_cents

payable := floor((input.grounds.price_cents * (100 - fee_percent)) / 100)

fee_percent := data.lines[input.grounds.line].fee_percent
