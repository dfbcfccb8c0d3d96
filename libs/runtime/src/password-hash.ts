/** OWASP's first choice of argon2id: 19 MB and two passes, about 20 ms of a core. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Loaded by the processes that need it, when they do. Its work is done by libuv's threads. */
const argon2 = () => import('@node-rs/argon2');

/** Argon2id, which is the default of the library; the hash holds its parameters and its salt. */
export async function hashPassword(password: string): Promise<string> {
  return (await argon2()).hash(password, COST);
}

/** @param hash as {@link hashPassword} made it */
export async function isPasswordOf(hash: string, password: string): Promise<boolean> {
  return (await argon2()).verify(hash, password);
}
