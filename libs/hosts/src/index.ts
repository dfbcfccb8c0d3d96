export * from './names/labels.js';
export { type Host, type HostRefusal, normaliseHost } from './names/normalise-host.js';
export { SITE_LIST_VERSION, siteOf } from './names/site-of.js';
