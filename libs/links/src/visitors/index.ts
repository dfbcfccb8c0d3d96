export * from './classify-visit.js';
export * from './describe-origin.js';
export * from './geo-databases.js';
export * from './identify-device.js';
export * from './locate-visitor.js';
export { memoised } from './memoised.js';
export { loadGeoSources, openGeoSources } from './open-geo-sources.js';
