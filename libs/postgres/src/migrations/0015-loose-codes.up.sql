-- Codes without regard to the case of A to Z (LOOSE_CODES): "C" folds no other letters.
CREATE INDEX links_by_folded_code ON links (domain_id, lower(code));
