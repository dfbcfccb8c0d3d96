import type { FastifyInstance } from 'fastify';

/** Where links of invites lead; the token stands behind a `#`. */
export const INVITE_PAGE = '/rest/invite';

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Addresses are relative: the api may be reached under a path. */
const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Hopcount: your account</title>
<link rel="stylesheet" href="invite.css">
<main>
<h1>Hopcount</h1>
<p>Choose what you sign in with. Of a link for another password only the password counts.</p>
<form>
<label>Email address <input name="email" type="email" autocomplete="username"></label>
<label>Name <input name="name" autocomplete="name"></label>
<label>Password, 12 characters or more
<input name="password" type="password" autocomplete="new-password" required minlength="12" maxlength="256"></label>
<button>Go on</button>
</form>
<p role="status"></p>
</main>
<script src="invite.js"></script>
`;

const STYLE = `body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem; color: #222; background: #fff }
main { max-width: 26rem; margin: auto }
label { display: block; margin: 1rem 0 }
input { display: block; width: 100%; font: inherit; padding: .4rem; box-sizing: border-box }
button { font: inherit; padding: .4rem 1rem }
`;

const SCRIPT = `const form = document.querySelector('form');
const status = document.querySelector('[role=status]');
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const given = { token: location.hash.slice(1) };
  for (const [name, value] of new FormData(form)) if (value !== '') given[name] = value;
  status.textContent = 'One moment …';
  try {
    const answer = await fetch('v3/users/accept', {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(given),
    });
    const body = await answer.json();
    if (!answer.ok) {
      status.textContent = (body.reasons ?? []).map(({ reason }) => reason).join(' ') || body.detail;
      return;
    }
    form.remove();
    history.replaceState(null, '', location.pathname);
    const isKept = (await fetch('v3/session')).status !== 401;
    status.textContent = isKept
      ? 'Done: you are signed in as ' + body.email + '.'
      : 'Done: from now on ' + body.email + ' signs in with this password. But this browser did not keep you signed in: '
        + 'browsers do so over https, some from http://localhost as well. Use such an address of this server.';
  } catch {
    status.textContent = 'The server does not answer. Try again.';
  }
});
`;

/** A page for people, so that a link can be opened; it only calls the API. */
export function serveInvitePage(server: FastifyInstance): void {
  const serve = (path: string, type: string, body: string) =>
    server.get(path, (_request, reply) =>
      reply
        .header('content-type', `${type}; charset=utf-8`)
        .header('content-security-policy', CONTENT_SECURITY_POLICY)
        .header('cache-control', 'no-cache')
        .send(body),
    );
  serve(INVITE_PAGE, 'text/html', PAGE);
  serve(`${INVITE_PAGE}.js`, 'text/javascript', SCRIPT);
  serve(`${INVITE_PAGE}.css`, 'text/css', STYLE);
}
