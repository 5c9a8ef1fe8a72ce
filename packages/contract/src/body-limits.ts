/** Maximum body of O5 and its preview. */
export const MAX_BATCH_BYTES = 4 * 1024 * 1024;
/** Maximum form of the token endpoint. */
export const MAX_FORM_BYTES = 16 * 1024;
/** Maximum of an answer with the contents of assets, and of O8, about as long as its JSON. */
export const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
/** Maximum body of all other calls. */
export const MAX_BODY_BYTES = 1024 * 1024;
