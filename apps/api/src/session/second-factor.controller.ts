import { Body, Controller, Req, Res } from '@nestjs/common';
import { type RecoveryCodes, recoveryCodesSchema, type SecondFactor, secondFactorSchema } from '@hopcount/contracts';
import { SignIn } from '@hopcount/identities';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';

import { Operation } from '../http/operation.js';
import { drawSvg } from '../links/qr-code/draw-svg.js';
import { QrDrawing, type QrStyle } from '../links/qr-code/qr-drawing.js';
import { RequestLimits } from '../limits/request-limits.js';
import { codeRequest, passwordRequest, removeSecondFactorRequest } from './session.requests.js';
import { userOf } from './user-of.js';

/** Black on white, also where the page is dark: apps read it. */
const QR_STYLE: QrStyle = { size: 240, margin: 16, errorCorrection: 'M', color: '#000000', bgColor: '#ffffff' };

/** One-time codes that signing in takes beside the password. */
@Controller()
export class SecondFactorController {
  constructor(
    private readonly signIns: SignIn,
    private readonly limits: RequestLimits,
  ) {}

  @Operation('POST /rest/v3/session/second-factor', {
    id: 'beginSecondFactor',
    scope: 'user',
    summary: 'Get a secret for an app that makes one-time codes',
    description: 'It counts once a code of it was confirmed; one that was not is replaced.',
    tag: 'Users',
    body: passwordRequest,
    answer: secondFactorSchema,
    problems: ['invalid-credentials', 'sign-in-unavailable', 'second-factor-exists', 'user-not-found'],
  })
  async begin(
    @Body() { password }: z.output<typeof passwordRequest>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SecondFactor> {
    await this.#admit(request, reply);
    void reply.header('cache-control', 'no-store');
    const { secret, uri } = await this.signIns.beginSecondFactor(userOf(request), password);
    const svg = await drawSvg(new QrDrawing(uri, QR_STYLE, null));
    return { secret, uri, qrCode: `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}` };
  }

  @Operation('POST /rest/v3/session/second-factor/confirm', {
    id: 'confirmSecondFactor',
    scope: 'user',
    summary: 'Ask for a code at every sign-in from now on',
    description: 'The answer holds the recovery codes, which are shown this once. All other sessions of the user end.',
    tag: 'Users',
    body: codeRequest,
    answer: recoveryCodesSchema,
    problems: ['sign-in-unavailable', 'second-factor-exists', 'user-not-found'],
  })
  async confirm(
    @Body() { code }: z.output<typeof codeRequest>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RecoveryCodes> {
    await this.#admit(request, reply);
    void reply.header('cache-control', 'no-store');
    return { recoveryCodes: await this.signIns.confirmSecondFactor(userOf(request), code) };
  }

  @Operation('POST /rest/v3/session/second-factor/remove', {
    id: 'removeSecondFactor',
    scope: 'user',
    summary: 'Remove the second factor and its recovery codes',
    tag: 'Users',
    body: removeSecondFactorRequest,
    answer: null,
    problems: [
      ...(['invalid-credentials', 'sign-in-unavailable', 'second-factor-required', 'user-not-found'] as const),
      'too-many-codes',
    ],
  })
  async remove(
    @Body() { password, code }: z.output<typeof removeSecondFactorRequest>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    await this.#admit(request, reply);
    await this.signIns.removeSecondFactor(userOf(request), password, code);
  }

  /** Passwords and codes are guessed here as well as at sign-in. */
  async #admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await this.limits.admitPassword(reply, userOf(request).id);
  }
}
