// Internals that tests of the whole service need. Nothing else imports this file.

export { GUIDE_FOLDERS, GUIDES, guideOf } from './front-door/guides.ts';
export { STARTING } from './readiness.ts';
