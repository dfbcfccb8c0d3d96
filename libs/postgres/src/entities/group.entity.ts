import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

@Entity('groups')
export class GroupEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'groups_pkey', collation: 'C' })
  id!: string;

  @Column('text')
  name!: string;

  @CreateDateColumn({ type: 'timestamptz', name: 'created_at' })
  createdAt!: Date;

  /** null: after those that have one, in the order of their creation. */
  @Column('integer', { nullable: true })
  position!: number | null;
}
