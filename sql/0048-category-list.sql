-- SPDX-License-Identifier: MIT
-- The list of categories is read in its order: a unique key is not known to end with the id.
ALTER TABLE prompt_category
  ADD KEY IF NOT EXISTS prompt_category_list (tenant_id, sort_key, id);
