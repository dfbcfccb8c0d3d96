import { Module } from '@nestjs/common';
import { Passwords, Sessions, SignIn, Users } from '@hopcount/identities';
import { Database } from '@hopcount/postgres';

import { provide } from '../provide.js';
import { SessionController } from '../session/session.controller.js';
import { UsersController } from './users.controller.js';

@Module({
  controllers: [SessionController, UsersController],
  providers: [
    { provide: Passwords, useFactory: () => new Passwords() },
    provide(Users, Database, Sessions, Passwords),
    provide(SignIn, Database, Sessions, Passwords),
  ],
})
export class UsersModule {}
