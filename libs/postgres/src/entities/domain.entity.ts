import { Column, Entity, Index, PrimaryGeneratedColumn, Unique } from 'typeorm';

@Entity('domains')
@Unique('domains_authority_key', ['authority'])
@Index('domains_one_default', ['isDefault'], { unique: true, where: 'is_default' })
export class DomainEntity {
  @PrimaryGeneratedColumn('identity', { primaryKeyConstraintName: 'domains_pkey', generatedIdentity: 'ALWAYS' })
  id!: number;

  /** As links are filed under it: lower-case ASCII `host` or `host:port`. */
  @Column({ type: 'text', collation: 'C' })
  authority!: string;

  @Column('boolean', { name: 'is_default', default: false })
  isDefault!: boolean;

  @Column('text', { name: 'base_url_redirect', nullable: true })
  baseUrlRedirect!: string | null;

  @Column('text', { name: 'regular_404_redirect', nullable: true })
  regular404Redirect!: string | null;

  @Column('text', { name: 'invalid_short_url_redirect', nullable: true })
  invalidShortUrlRedirect!: string | null;
}
