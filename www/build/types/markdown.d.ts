// As ../build/markdown.js, without the languages, whose sources have no types.
import hljs from 'highlight.js/lib/core';

export { hljs };
export { Marked, type Tokens } from 'marked';
export { default as DOMPurify, type Config } from 'dompurify';
