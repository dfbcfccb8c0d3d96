import { z } from 'zod';

export const QR_CODE_FORMATS = { png: 'image/png', svg: 'image/svg+xml' } as const;

/** The body of the answer is the picture itself. */
export const qrCodeSchema = z.string().meta({ id: 'QrCode', description: 'The bytes of the picture.' });
