/** Node's codes of a certificate that is not believed and of a TLS handshake that fails. */
const TLS_CODE =
  /^(CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_(CA|PURPOSE)$|HOSTNAME_MISMATCH$|ERR_TLS_|ERR_SSL_|EPROTO$)/;

export function isTlsFailure(code: string): boolean {
  return TLS_CODE.test(code);
}
