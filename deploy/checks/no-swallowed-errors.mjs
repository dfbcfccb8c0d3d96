// @ts-check
/**
 * A `catch` without its error hides defects together with what was expected. It is fine where it throws another error, or
 * where a comment inside it says why the error is neither logged nor counted.
 *
 * @type {import('eslint').Rule.RuleModule}
 */
export const noSwallowedErrors = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      swallowed: 'The error is swallowed: log it, count it, or say in a comment inside the block why not.',
    },
  },
  create: (context) => ({
    CatchClause({ param, body }) {
      if (param !== null && param !== undefined) return;
      const throws = body.body.at(-1)?.type === 'ThrowStatement';
      if (throws || context.sourceCode.getCommentsInside(body).length > 0) return;
      context.report({ node: body, messageId: 'swallowed' });
    },
  }),
};
