import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Of servers at 127.0.0.1 and localhost, signed by an authority nobody knows. Into the folder: `authority.pem`, `server.key`, `server.pem`, and the last two in one,
 * `key-and-certificate.pem`.
 */
export function makeCertificates(folder: string): void {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const authority = ['-keyout', 'authority.key', '-out', 'authority.pem', '-days', '2', '-subj', '/CN=Nobody knows me'];
  openssl('req', '-x509', ...newKey, ...authority);
  const names = ['-subj', '/CN=services', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];
  openssl('req', '-new', ...newKey, '-keyout', 'server.key', '-out', 'server.csr', ...names);
  const signed = ['-CA', 'authority.pem', '-CAkey', 'authority.key', '-CAcreateserial', '-copy_extensions', 'copy'];
  openssl('x509', '-req', '-in', 'server.csr', ...signed, '-days', '2', '-out', 'server.pem');
  const both = ['server.key', 'server.pem'].map((name) => readFileSync(join(folder, name), 'utf8')).join('');
  writeFileSync(join(folder, 'key-and-certificate.pem'), both, { mode: 0o600 });
}
