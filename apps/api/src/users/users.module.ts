import { Module } from '@nestjs/common';
import {
  Invites,
  OpenIdProvider,
  Passwords,
  ProviderSignIn,
  SecondFactors,
  Sessions,
  SignIn,
  Users,
} from '@hopcount/identities';
import { Database } from '@hopcount/postgres';

import { provide } from '../provide.js';
import { ProviderController } from '../session/provider.controller.js';
import { SecondFactorController } from '../session/second-factor.controller.js';
import { SessionsController } from '../session/sessions.controller.js';
import { SessionController } from '../session/session.controller.js';
import { InvitesController } from './invites.controller.js';
import { UsersController } from './users.controller.js';

@Module({
  controllers: [
    SessionsController,
    SessionController,
    ProviderController,
    SecondFactorController,
    UsersController,
    InvitesController,
  ],
  providers: [
    { provide: Passwords, useFactory: () => new Passwords() },
    provide(Users, Database, Sessions, Passwords, SecondFactors),
    provide(Invites, Database),
    provide(SignIn, Database, Sessions, Passwords, SecondFactors),
    provide(ProviderSignIn, Database, Sessions, OpenIdProvider),
  ],
})
export class UsersModule {}
