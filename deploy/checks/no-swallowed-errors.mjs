// @ts-check
/**
 * A handler that ignores its error hides defects together with what was expected. It is fine where it throws another
 * error, or where a comment inside it says why the error is neither logged nor counted.
 *
 * Of promises those handlers are meant that ignore the error and do nothing: `.catch(() => undefined)`. Their comment may
 * also stand behind them on the line, or before the statement. Two need none: a promise that is kept elsewhere
 * (`kept.catch(…)`), whose error is seen there, and `sleep`, which fails only when it is aborted.
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
    CallExpression(call) {
      const handler = handlerOf(call);
      if (handler === undefined || isExplained(context.sourceCode, handler)) return;
      context.report({ node: handler, messageId: 'swallowed' });
    },
  }),
};

/** @param {Extract<import('eslint').Rule.Node, { type: 'CallExpression' }>} call */
function handlerOf({ callee, arguments: given }) {
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return undefined;
  const handler = callee.property.name === 'catch' ? given[0] : callee.property.name === 'then' ? given[1] : undefined;
  if (handler?.type !== 'ArrowFunctionExpression' || handler.params.length > 0 || !isIdle(handler.body))
    return undefined;
  const { object } = callee;
  const isKept = object.type !== 'CallExpression' && object.type !== 'ChainExpression';
  const isSleep =
    object.type === 'CallExpression' && object.callee.type === 'Identifier' && object.callee.name === 'sleep';
  return isKept || isSleep ? undefined : handler;
}

/** @param {Extract<import('eslint').Rule.Node, { type: 'ArrowFunctionExpression' }>['body']} body */
function isIdle(body) {
  if (body.type === 'BlockStatement') return body.body.length === 0;
  const values = ['Literal', 'Identifier', 'ArrayExpression', 'ObjectExpression', 'UnaryExpression'];
  return values.includes(body.type);
}

/**
 * @param {import('eslint').SourceCode} sourceCode
 * @param {Parameters<import('eslint').SourceCode['getAncestors']>[0]} handler
 */
function isExplained(sourceCode, handler) {
  const ancestors = sourceCode.getAncestors(handler);
  const block = ancestors.findLastIndex(({ type }) => type === 'BlockStatement' || type === 'Program');
  const statements = ancestors.slice(block + 1).filter(({ type }) => /Statement$|Declaration$/.test(type));
  if (statements.some((statement) => sourceCode.getCommentsBefore(statement).length > 0)) return true;
  const lines = [handler, ...statements].map(({ loc }) => loc?.end.line);
  const isInside = sourceCode.getCommentsInside(handler).length > 0;
  return isInside || sourceCode.getAllComments().some(({ loc }) => lines.includes(loc?.start.line));
}
