-- $1 command, $2 arguments, $3 operator, $4 cluster id
INSERT INTO operator_actions (command, arguments, operator, cluster_id)
VALUES ($1, $2::jsonb, $3, $4)
RETURNING id
