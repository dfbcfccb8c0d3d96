import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Encrypts what is kept and has to be read again. With several secrets: the first seals, any opens. */
export class Sealer {
  readonly #keys: readonly Buffer[];

  /** @param purpose what is sealed for one opens for no other */
  constructor(secrets: readonly [string, ...string[]], purpose = 'hopcount second factors') {
    this.#keys = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)));
  }

  /** @param owner whose it is: moved to somebody else's row, it does not open */
  seal(content: Buffer, owner: number): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.#keys[0] as Buffer, nonce).setAAD(Buffer.from(String(owner)));
    const sealed = Buffer.concat([cipher.update(content), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
  }

  /** undefined: it was sealed with another secret, for somebody else, or changed. */
  open(sealed: Buffer, owner: number): { content: Buffer; isOfFirst: boolean } | undefined {
    for (const [place, key] of this.#keys.entries()) {
      const content = openWith(key, sealed, owner);
      if (content !== undefined) return { content, isOfFirst: place === 0 };
    }
    return undefined;
  }
}

function openWith(key: Buffer, sealed: Buffer, owner: number): Buffer | undefined {
  try {
    const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(String(owner))).setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
  } catch {
    // Not sealed with this key: the caller tries the others, then refuses.
    return undefined;
  }
}
