import { z } from 'zod';

/** Longer ones are refused before anything is done with them. */
const password = z.string().max(1_024);

export const signInRequest = z.strictObject({
  email: z.string().max(1_024).meta({ example: 'ada@example.com' }),
  password: password.meta({ example: 'correct horse battery staple' }),
});

export const changePasswordRequest = z.strictObject({
  password: password.meta({ description: 'The one until now.' }),
  newPassword: password.meta({ description: '12 to 256 characters.' }),
});
