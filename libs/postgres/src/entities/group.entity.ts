import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

@Entity('groups')
export class GroupEntity {
  @PrimaryColumn('text', { primaryKeyConstraintName: 'groups_pkey', collation: 'C' })
  id!: string;

  @Column('text')
  name!: string;

  @CreateDateColumn({ type: 'timestamptz', name: 'created_at' })
  createdAt!: Date;
}
