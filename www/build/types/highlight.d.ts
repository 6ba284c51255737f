// As ../build/highlight.js, without the languages, whose sources have no types.
import hljs from 'highlight.js/lib/core';

export { hljs };
