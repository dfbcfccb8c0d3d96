import { DomainEntity } from './domain.entity.js';
import { GroupEntity } from './group.entity.js';
import { TagEntity } from './tag.entity.js';

export { DomainEntity, GroupEntity, TagEntity };

/** The cold objects. Hot statements stay SQL; entities.integration.spec.ts holds these against the schema. */
export const ENTITIES = [DomainEntity, GroupEntity, TagEntity];
