import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn, Unique } from 'typeorm';

@Entity('api_keys')
@Unique('api_keys_key_hash_key', ['keyHash'])
export class ApiKeyEntity {
  @PrimaryGeneratedColumn('identity', { primaryKeyConstraintName: 'api_keys_pkey', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column('text')
  name!: string;

  /** SHA-256 of the key. */
  @Column('bytea', { name: 'key_hash' })
  keyHash!: Buffer;

  @Column('boolean', { default: true })
  enabled!: boolean;

  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt!: Date | null;

  @CreateDateColumn({ type: 'timestamptz', name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt!: Date | null;
}
