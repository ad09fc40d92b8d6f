"""Parts of scripts/rename_trial and scripts/reference_trial. Nothing here reads what Stile says."""
