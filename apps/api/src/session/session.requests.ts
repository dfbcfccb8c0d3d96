import { z } from 'zod';

/** Longer ones are refused before anything is done with them. */
const password = z.string().max(1_024);

export const signInRequest = z.strictObject({
  email: z.string().max(1_024).meta({ example: 'ada@example.com' }),
  password: password.meta({ example: 'correct horse battery staple' }),
  code: z.string().max(256).optional().meta({ description: 'Of the second factor, or a recovery code.' }),
});

export const passwordRequest = z.strictObject({ password });

const code = z.string().max(256).meta({ description: 'Of the app, or a recovery code.', example: '123456' });

export const codeRequest = z.strictObject({ code });

export const removeSecondFactorRequest = z.strictObject({ password, code: code.optional() });

export const changePasswordRequest = z.strictObject({
  password: password.meta({ description: 'The one until now.' }),
  newPassword: password.meta({ description: '12 to 256 characters.' }),
});
