UPDATE domains SET is_default = true WHERE authority = $1 AND NOT is_default
