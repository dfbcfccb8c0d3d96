/** Whether people can sign in with an OpenID Connect provider here: the api writes it into the page. */
export const HAS_PROVIDER = document.querySelector<HTMLMetaElement>('meta[name=provider]')?.content === 'yes';
