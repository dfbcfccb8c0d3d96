-- Every block, with the version they are of: one row without a block where there are none.
SELECT block_list.version, blocks.kind, blocks.value, blocks.action FROM block_list LEFT JOIN blocks ON true
