import { REPORT_CAUSES, type ReportCause } from '@hopcount/contracts';

import { htmlPage, type Page } from '../redirect/pages.js';

/**
 * 401, for the same address answers otherwise who has the password: programs, monitors and search engines do not take the page
 * for the target, and metrics tell it from pictures. The scheme is no registered one, so that browsers show the page.
 */
const UNAUTHORIZED = ['www-authenticate', 'Form realm="link"'];
const TITLE = 'Password needed';

const CAUSES: Record<ReportCause, string> = {
  phishing: 'It pretends to be somebody else (phishing)',
  malware: 'It spreads harmful programs',
  spam: 'It is spam',
  other: 'Something else',
};

/** Of every page that stands before a link. No text: nobody reads what anybody may write. */
const reportForm = (shown = '') => `<details>
<summary>Report this link</summary>
<form method="post">
${shown}<label for="report">What is wrong with it?</label>
<select id="report" name="report">
${REPORT_CAUSES.map((cause) => `<option value="${cause}">${CAUSES[cause]}</option>`).join('\n')}
</select>
<button>Report</button>
</form>
</details>`;

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
</form>
${reportForm()}`,
    more,
  );
}

export const GUARD_PAGES = {
  password: passwordPage(401, UNAUTHORIZED),
  wrongPassword: passwordPage(401, UNAUTHORIZED, 'That is not the password.'),
  busy: passwordPage(503, ['retry-after', '3'], 'The password cannot be checked right now. Try again in a moment.'),
} satisfies Record<string, Page>;

export const REPORT_PAGES = {
  taken: reportPage(200, 'Thank you', 'Whoever runs this service will look at the link.'),
  limited: reportPage(429, 'Too many reports', 'Please report it again later.', ['retry-after', '600']),
  failed: reportPage(503, 'Not reported', 'Reports cannot be taken right now.', ['retry-after', '600']),
} satisfies Record<string, Page>;

function reportPage(status: number, title: string, text: string, more: string[] = []): Page {
  return htmlPage(status, title, `<p>${text}</p>`, more);
}

/** Why a page comes before a link that needs no password. */
export type WarningCause =
  /** It is warned of. */
  | 'site'
  /** It is no page of the web, but opens what the device has for it. */
  | 'program'
  /** The visitor came back to it again and again. */
  | 'loop';

const WARNINGS: Record<WarningCause, { title: string; before: string; after: string; button: string }> = {
  site: {
    title: 'Leaving for another site',
    before: 'This short link leads to',
    after: 'Go on only if you expected that. Do not enter a password or pay there unless you trust it.',
    button: 'Continue to the site',
  },
  program: {
    title: 'Opening another program',
    before: 'This short link leads to no page of the web: your device opens a program for',
    after: 'Go on only if you expected that, and look at what the program shows before you send or confirm anything.',
    button: 'Open the program',
  },
  loop: {
    title: 'This link leads in a circle',
    before: 'You have come back here several times within seconds. The site that sends you back is',
    after: 'There may be nothing behind it. Go on only if you want to try once more.',
    button: 'Try once more',
  },
};

/**
 * @param to where the link leads: a host as the parser reads it, letters beyond ASCII as `xn--…`; another scheme's whole address
 * @param token says that this page was shown
 */
export function warningPage(to: string, cause: WarningCause, token: string): Page {
  const { title, before, after, button } = WARNINGS[cause];
  const name = escapeHtml(to);
  const shown = `<input type="hidden" name="to" value="${name}">
<input type="hidden" name="shown" value="${token}">
`;
  const looksAlike = /(^|\.)xn--/i.test(to)
    ? '<p>This name has letters that can look like others: <code>xn--</code> stands for them.</p>\n'
    : '';
  return htmlPage(
    200,
    title,
    `<p>${before}</p>
<p class="host">${name}</p>
${looksAlike}<p>${after}</p>
<form method="post">
${shown}<button>${button}</button>
</form>
${reportForm(shown)}`,
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
