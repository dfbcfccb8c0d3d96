import { ApiKeyEntity } from './api-key.entity.js';
import { DomainEntity } from './domain.entity.js';
import { LinkEntity } from './link.entity.js';
import { TagEntity } from './tag.entity.js';

export { ApiKeyEntity, DomainEntity, LinkEntity, TagEntity };

export const ENTITIES = [ApiKeyEntity, DomainEntity, LinkEntity, TagEntity];
