import { Column, Entity, JoinColumn, JoinTable, ManyToMany, ManyToOne, PrimaryColumn } from 'typeorm';

import { DomainEntity } from './domain.entity.js';
import { TagEntity } from './tag.entity.js';

@Entity('links')
export class LinkEntity {
  /** Snowflake as decimal text. */
  @PrimaryColumn('bigint')
  id!: string;

  @ManyToOne(() => DomainEntity, { eager: true })
  @JoinColumn({ name: 'domain_id' })
  domain!: DomainEntity;

  @Column('text')
  code!: string;

  @Column('text', { name: 'long_url' })
  longUrl!: string;

  @Column('text', { nullable: true })
  title!: string | null;

  @Column('text', { name: 'group_id', nullable: true })
  groupId!: string | null;

  @ManyToMany(() => TagEntity)
  @JoinTable({ name: 'link_tags', joinColumn: { name: 'link_id' }, inverseJoinColumn: { name: 'tag_id' } })
  tags!: TagEntity[];

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'updated_at' })
  updatedAt!: Date;

  @Column('bigint')
  version!: string;

  @Column('timestamptz', { name: 'deleted_at', nullable: true })
  deletedAt!: Date | null;
}
