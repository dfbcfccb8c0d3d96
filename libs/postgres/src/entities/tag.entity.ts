import { Column, Entity, PrimaryGeneratedColumn, Unique } from 'typeorm';

@Entity('tags')
@Unique('tags_name_key', ['name'])
export class TagEntity {
  @PrimaryGeneratedColumn('identity', { primaryKeyConstraintName: 'tags_pkey', generatedIdentity: 'ALWAYS' })
  id!: number;

  @Column({ type: 'text', collation: 'C' })
  name!: string;
}
