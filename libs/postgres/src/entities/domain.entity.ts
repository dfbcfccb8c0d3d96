import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

@Entity('domains')
export class DomainEntity {
  @PrimaryGeneratedColumn('identity')
  id!: number;

  @Column('text')
  authority!: string;

  @Column('boolean', { name: 'is_default' })
  isDefault!: boolean;
}
