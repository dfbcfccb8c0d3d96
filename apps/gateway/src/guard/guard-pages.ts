import { htmlPage, type Page } from '../redirect/pages.js';

/**
 * 401, for the same address answers otherwise who has the password: programs, monitors and search engines do not take the page
 * for the target, and metrics tell it from pictures. The scheme is no registered one, so that browsers show the page.
 */
const UNAUTHORIZED = ['www-authenticate', 'Form realm="link"'];
const TITLE = 'Password needed';

/** No action: a form is sent to the address it stands at, query included. */
function passwordPage(status: number, more: string[], wrong?: string): Page {
  const hint = wrong === undefined ? '' : `<p class="wrong" id="wrong" role="alert">${wrong}</p>\n`;
  const described = wrong === undefined ? '' : ' aria-invalid="true" aria-describedby="wrong"';
  return htmlPage(
    status,
    TITLE,
    `<p>Whoever made this short link has protected it with a password.</p>
<form method="post">
${hint}<label for="password">Password</label>
<input id="password" name="password" type="password" maxlength="128" autocomplete="off" autofocus required${described}>
<button>Open the link</button>
</form>`,
    more,
  );
}

export const GUARD_PAGES = {
  password: passwordPage(401, UNAUTHORIZED),
  wrongPassword: passwordPage(401, UNAUTHORIZED, 'That is not the password.'),
  busy: passwordPage(503, ['retry-after', '3'], 'The password cannot be checked right now. Try again in a moment.'),
} satisfies Record<string, Page>;

/**
 * @param to where the link leads: a host as the parser reads it, letters beyond ASCII as `xn--…`; another scheme's whole address
 * @param token says that this page was shown
 */
export function warningPage(to: string, token: string): Page {
  const name = escapeHtml(to);
  const looksAlike = /(^|\.)xn--/i.test(to)
    ? '<p>This name has letters that can look like others: <code>xn--</code> stands for them.</p>\n'
    : '';
  return htmlPage(
    200,
    'Leaving for another site',
    `<p>This short link leads to</p>
<p class="host">${name}</p>
${looksAlike}<p>Go on only if you expected that. Do not enter a password or pay there unless you trust it.</p>
<form method="post">
<input type="hidden" name="to" value="${name}">
<input type="hidden" name="shown" value="${token}">
<button>Continue to the site</button>
</form>`,
  );
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

export function limitedPage(retryAfterMs: number): Page {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1_000));
  const wait = seconds < 60 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
  return passwordPage(429, ['retry-after', String(seconds)], `Too many tries. Wait ${wait}, then try again.`);
}
