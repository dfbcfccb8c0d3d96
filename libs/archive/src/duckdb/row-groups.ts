/**
 * Visits of a row group. Small, so that one link's visits are a few of many groups: a group's statistics say which links
 * it holds. 16,384 cost 4 % more bytes, 122,880 save 5 %.
 */
export const ROW_GROUP_VISITS = 32_768;
