import type { PageType } from '../page-type/page-type.ts';

const anyOf = (...titles: string[]) => new RegExp(`^(${titles.join('|')})[:.…]?$`, 'i');

/** Headings of boilerplate sections on any page. */
const ON_ANY_PAGE = [
  'you (may|might) also (like|enjoy)',
  '(more|other) (from|like this|stories|posts|articles|in)\\b.*',
  '(more|other)( \\S+){1,3} (stories|articles|coverage|reading)',
  '(read|see) (more|next|also).*',
  'leave a (comment|reply).*',
  '(\\d+ )?(comments?|responses?|replies)( \\(?\\d+\\)?)?',
  'post a comment',
  '(about|meet) (the|our) (authors?|reviewers?|editors?|writers?)',
  'share( this.*)?',
  '(recent|latest|popular) (posts|articles|comments|news|stories)',
  'most (read|popular|viewed)',
  'similar (posts|articles|stories|content)',
  '(subscribe|sign up|join)( .*(newsletter|list|email|updates).*)?',
  'newsletter',
  'follow us.*',
  'what to read next|up next|keep reading',
  'don.t miss.*',
  'categories|tags|archives|advertisement',
  'stay (connected|in touch|up to date).*',
  'cookies?( (policy|settings|preferences|notice|consent|statement|declaration).*)?|privacy (policy|overview)',
  '(previous|next) (post|article)|(post )?navigation',
  '(table of )?contents|on this page|in this article',
];
/** The same in other languages, a line for each: German, French, Spanish, Portuguese, Italian, Dutch, Polish, Russian, Japanese, Chinese. */
const IN_OTHER_LANGUAGES = [
  '(das )?könnte (sie|dich|euch|ihnen|dir) (auch )?(interessieren|gefallen).*|(ähnliche|verwandte|weitere|passende|neue?ste|aktuelle|beliebte|letzte|meist ?gelesene|empfohlene) (beiträge|artikel|themen|meldungen|nachrichten|videos)|meist ?(gelesen|geklickt|gesehen)e?|mehr (zum thema|zu diesem thema|aus (dem|der|diesem|dieser) .*|artikel|beiträge|nachrichten)|(lesen sie|lies) (auch|mehr)( .*)?|auch (interessant|lesenswert)|weiterlesen|(\\d+ antworten|(\\d+ )?kommentare?)( \\(?\\d+\\)?)?|(einen )?kommentar (schreiben|hinterlassen|verfassen)|schreiben? (sie )?(einen|ihren|deinen) kommentar.*|(über|zu[mr]) (de[nmr]|die)? ?(autor|autorin|autoren)|(artikel|beitrag|seite)? ?teilen|folgen? (sie )?uns.*|(nächster|vorheriger) (artikel|beitrag)|beitragsnavigation|kategorien|schlagw(orte|örter)|anzeige|werbung',
  '(à )?lire (aussi|également|ensuite).*|sur le même (sujet|thème)|dans la même (rubrique|catégorie)|(articles|contenus|sujets) (similaires|liés|connexes|récents|populaires|associés)|vous (aimerez|pourriez) (aussi|aimer).*|(les )?plus (lus|populaires|consultés)|(\\d+ )?commentaires?( \\(?\\d+\\)?)?|laisser un commentaire.*|partager( cet article)?|suivez-nous.*|à propos de l.auteur|catégories|étiquettes|articles? (précédent|suivant)',
  '(artículos|noticias|entradas|contenidos?|temas|notas) relacionad[oa]s?|(le|te|les) puede(n)? (interesar|gustar).*|también (te|le) .*|(lo )?más (leído|leída|visto|vista|popular)(e?s)?|(leer|lea|lee) (también|además|más).*|dejar? (un comentario|una respuesta).*|(\\d+ )?comentarios?( \\(?\\d+\\)?)?|compartir( .*)?|síguenos.*|sobre el autor|categorías|etiquetas|últimas (noticias|entradas)',
  '(artigos|notícias|posts|conteúdos?|matérias) relacionad[oa]s?|leia (também|mais).*|veja (também|mais).*|(as |os )?mais (lid|vist)[oa]s|deixe (um comentário|uma resposta).*|(\\d+ )?comentários?( \\(?\\d+\\)?)?|compartilh(e|ar)( .*)?|siga-nos.*|sobre o autor|últimas notícias',
  '(articoli|notizie|contenuti|post) (correlat|simil|collegat|recent|consigliat)[ei]|leggi (anche|altro).*|potrebbe(ro)? (anche )?(interessart|piacert)i.*|(i |le )?più (lett|vist)[ei]|lascia un commento.*|(\\d+ )?commenti( \\(?\\d+\\)?)?|condividi( .*)?|seguici.*|ultime notizie|altri articoli.*',
  '(gerelateerde|verwante|andere|recente|populaire) (artikelen|berichten|nieuws)|lees (ook|meer|verder).*|meest gelezen|(\\d+ )?reacties?( \\(?\\d+\\)?)?|(geef|laat) een (reactie|antwoord).*|deel dit .*|volg ons.*|over de auteur',
  '(powiązane|podobne|polecane|najnowsze|popularne)( (artykuły|wpisy|treści|tematy|posty))?|(czytaj|zobacz|przeczytaj) (także|też|również|więcej).*|najczęściej czytane|komentarze( \\(?\\d+\\)?)?|(dodaj|zostaw) komentarz.*|udostępnij( .*)?|o autorze',
  'читайте также.*|похожие (статьи|записи|материалы|новости)|(материалы )?по теме|(самое )?(популярное|читаемое)|комментарии( \\(?\\d+\\)?)?|оставить комментарий.*|поделиться( .*)?|последние новости|об авторе',
  '関連(記事|リンク|ニュース|コンテンツ).*|あわせて読みたい.*|人気(記事|ランキング).*|最新記事|コメント(を残す)?|この記事をシェア.*',
  '(相关|相關)(文章|阅读|閱讀|新闻|新聞|推荐|推薦|链接|連結).*|(推荐阅读|推薦閱讀|延伸阅读|延伸閱讀).*|(热门|熱門|最新)(文章|新闻|新聞)|(发表评论|發表評論).*|评论|評論|留言',
];
/** Links to related pages are boilerplate except on listings. */
const RELATED = '(related|recommended|trending)( .*)?';
/** In documentation, more than pages may be related to its subject. */
const RELATED_PAGES =
  '(related|recommended|trending)( (articles?|content|pages?|posts?|stories|topics?|links?|reading|resources|videos|questions|guides?|products|documentation|documents|information))?';
const ON_PRODUCTS = [
  '(customers|people|shoppers|others) (who|also) .*',
  'frequently bought.*|recently viewed.*',
  '(you may|you might|also) .*',
  'complete (the|your) .*|pairs? (well )?with.*',
  'similar (items|products)|.*related products.*|.*recommend.*',
  '((customer|product|top|guest) )?(reviews?|ratings?)( .*)?|write a review',
  'questions? (&|and) answers?|customer (questions|photos|images).*',
  'shop (the|by|more).*|more (from|to) .*|best ?sellers?|featured products|new arrivals|sponsored.*',
  'shipping.*|returns?( .*)?|need help.*|contact us.*',
  '(others|people) .*also (bought|viewed|like).*|.* also bought|products? related to .*',
  '(keep|continue) (exploring|shopping).*|explore (more|other|similar|all).*|more to explore',
  'notify me.*|.*back.in.stock.*|.*price (alert|drop).*',
  'why (buy|shop)\\b.*|why .* place to (buy|shop).*',
  '(delivery|warranty|payment|financing)( .*)?|(more )?ways to pay',
  '(seller|buyer|customer) (feedback|reviews).*|feedback',
  'accessories( for .*)?|as seen (on|in) .*|(get|shop) the look|compare (with )?(similar|other).*',
  'das könnte (ihnen|dir) auch .*|kunden (kauften|kaufen|interessierten).*|ähnliche (produkte|artikel)|zuletzt angesehen.*',
  'vous aimerez .*|(produits|articles) (similaires|associés|liés|complémentaires)|(les )?clients ont .*',
  '(productos|artículos) (relacionados|similares)|también te .*|produtos (relacionados|semelhantes)|você também .*',
  'prodotti (correlati|simili)|potrebbe(ro)? (anche )?(interessarti|piacerti).*|(gerelateerde|vergelijkbare) producten',
];
/** Links to other categories. */
const ON_LISTINGS = [
  '(related|popular|top|trending|similar) (searches|search terms)|people also search(ed)?( for)?',
  '(related|similar) (categories|collections|topics|pages|links)',
  'recently viewed.*|(your )?(browsing|viewing) history',
  'need help.*|join (now|us|today|our|the) .*|(delivery|shipping|returns)( .*)?|why (buy|shop)\\b.*',
];
const ON_SERVICES = [
  'what.s (trending|new|happening|next).*',
  '(latest|recent|featured|upcoming) (news|posts?|articles?|insights?|resources?|stories|events?|updates?|blogs?|innovations?|thinking|research)\\b.*',
  '(news|events|insights|blogs?|resources|stories)( (and|&) (news|events|insights|blogs?|resources|stories|notes|updates|articles).*)?',
  '((from|read|visit|explore|check out) )?(our|the) (latest )?(blog|news|insights|resources)\\b.*',
  '(more|additional|other|helpful|useful) (resources|reading|insights|guides)\\b.*|(guides|resources|articles) related to .*',
  'did you find what .*|was this (page|information) helpful.*|(start|join) the conversation',
];
/** A shorter list, because documentation may explain cookies, categories or the comments of a language. */
const ON_DOCUMENTATION = [
  'leave a (comment|reply).*|post a comment',
  '(was|did) this .*|((send|give|provide|leave) )?(us )?(your )?feedback|help (us )?(improve|make)\\b.*',
  '(still )?need (more )?help\\?|did you find (what|this)\\b.*',
  'share this.*|edit this .*',
  '(subscribe|sign up|join)( .*(newsletter|list|email|updates).*)?|newsletter',
  '(recent|latest|popular) (posts|articles|comments|news|stories)',
  '(more|other) (from|like this|stories|posts|articles)\\b.*',
  'what to read next|up next|keep reading|(previous|next) (topic|page|post|article)|(post )?navigation',
  '(table of )?contents|on this page|in this (article|page|topic|section)',
  'this page|quick search|contributors?|last updated.*',
];
/** A shorter list, because replies and recommended answers are the content of a forum. */
const ON_FORUMS = [
  '(similar|related|recent) (threads|topics|content|discussions|questions).*',
  '(log|sign) (in|up).*|create an account.*|join the conversation',
  'share( this.*)?|hot network questions',
  '(your|post an|know someone).* answer.*',
];
/** The headings of boilerplate sections, by page type. */
export const BOILERPLATE_HEADINGS: Record<PageType, RegExp> = {
  article: anyOf(...ON_ANY_PAGE, ...IN_OTHER_LANGUAGES, RELATED),
  documentation: anyOf(...ON_DOCUMENTATION, RELATED_PAGES),
  service: anyOf(...ON_ANY_PAGE, ...IN_OTHER_LANGUAGES, RELATED, ...ON_SERVICES),
  listing: anyOf(...ON_ANY_PAGE, ...IN_OTHER_LANGUAGES, ...ON_LISTINGS),
  product: anyOf(...ON_ANY_PAGE, ...IN_OTHER_LANGUAGES, RELATED, ...ON_PRODUCTS),
  forum: anyOf(...ON_FORUMS),
};
