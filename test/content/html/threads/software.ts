/** A post of a thread, with the answers to it. */
export interface Post {
  author: string;
  /** The date of the post in the software's own format, which differs between posts. */
  day: number;
  text: string;
  replies?: Post[];
}

/** The pages of one kind of software. */
export interface Software {
  /** Writes a page with these posts. */
  page(posts: Post[]): string;
  /** The text that stands for the date of a post. */
  date(day: number): string;
  /** Whether the markup shows which post is an answer to which other one. */
  isNested: boolean;
}

const hoursAgo = (day: number) => `${day} hours ago`;
const monthDay = (day: number) => `Mar ${day}, 2024`;
const iso = (day: number) => `2024-03-0${day}T01:47:00Z`;
const time = (day: number, shown: string, names = '') =>
  `<time ${names} datetime="${iso(day)}" title="${shown}">${shown}</time>`;
const flat = (posts: Post[]): Post[] => posts.flatMap((post) => [post, ...flat(post.replies ?? [])]);
const each = (posts: Post[] = [], write: (post: Post) => string) => posts.map(write).join('');
const eachFlat = (posts: Post[], write: (post: Post, at: number) => string) =>
  flat(posts).map(write).join('');
const document = (main: string, head = '', body = '') =>
  `<!doctype html><html><head><title>The stone is too hot - Millers</title>${head}</head><body ${body}>
  <div class="top"><a href="/">Millers</a> <a href="/new">New</a> <a href="/login">Log in</a></div>${main}
  <div class="bottom"><a href="/about">About</a> <a href="/privacy">Privacy</a> <a href="/terms">Terms</a></div></body></html>`;
const TITLE = 'The stone is too hot';

/** Markup of software for forums, comments, questions and microblogs, as it is served. */
export const SOFTWARE: Record<string, Software> = {
  phpBB: {
    isNested: false,
    date: (day) => `Mon Mar 0${day}, 2024 1:47 am`,
    page: (posts) =>
      document(
        `<div id="wrap"><div id="page-body"><h2 class="topic-title"><a href="./viewtopic.php?t=1">${TITLE}</a></h2>
        ${eachFlat(
          posts,
          ({ author, day, text }, at) => `<div id="p${at}" class="post has-profile bg2"><div class="inner">
          <dl class="postprofile" id="profile${at}"><dt class="has-profile-rank"><div class="avatar-container"></div>
          <a href="./memberlist.php?mode=viewprofile&u=${at}" class="username">${author}</a></dt>
          <dd class="profile-rank">Grinder</dd><dd class="profile-posts"><strong>Posts:</strong> <a href="./search.php?a=${at}">120</a></dd>
          <dd class="profile-joined"><strong>Joined:</strong> Tue Jan 02, 2001 3:04 pm</dd></dl>
          <div class="postbody"><div id="post_content${at}"><h3><a href="#p${at}">Re: ${TITLE}</a></h3>
          <ul class="post-buttons"><li><a href="./posting.php?mode=quote&p=${at}" class="button">Quote</a></li></ul>
          <p class="author"><a class="unread" href="./viewtopic.php?p=${at}#p${at}"><span>Post</span></a>
          <span class="responsive-hide">by <strong><a href="./memberlist.php?mode=viewprofile&u=${at}" class="username">${author}</a></strong> » </span>
          <time datetime="${iso(day)}">Mon Mar 0${day}, 2024 1:47 am</time></p><div class="content">${text}</div></div></div>
          <div class="back2top"><a href="#top" class="top">Top</a></div></div></div><hr class="divider">`,
        )}</div></div>`,
        '',
        'id="phpbb" class="nojs section-viewtopic"',
      ),
  },
  'Discourse for crawlers': {
    isNested: false,
    date: (day) => `March ${day}, 2024, 1:47am`,
    page: (posts) =>
      document(
        `<div id="main-outlet" class="wrap" role="main"><div id="topic-title"><h1><a href="/t/stone/1">${TITLE}</a></h1></div>
        <div itemscope itemtype="http://schema.org/DiscussionForumPosting">${eachFlat(
          posts,
          (
            { author, day, text },
            at,
          ) => `<div id="post_${at}" itemprop="comment" class="topic-body crawler-post">
          <div class="crawler-post-meta"><span class="creator" itemprop="author" itemscope><a itemprop="url" href="/u/${author}"><span itemprop="name">${author}</span></a></span>
          <span class="crawler-post-infos"><time datetime="${iso(day)}" class="post-time">March ${day}, 2024, 1:47am</time><span itemprop="position">${at + 1}</span></span></div>
          <div class="post" itemprop="text"><p>${text}</p></div>
          <div itemprop="interactionStatistic"><span class="post-likes">3 Likes</span></div></div>`,
        )}</div></div>`,
        '<meta name="generator" content="Discourse 3.2.0">',
        'class="crawler"',
      ),
  },
  'Discourse in a browser': {
    isNested: false,
    date: (day) => `Mar ${day}`,
    page: (posts) =>
      document(
        `<div id="main-outlet"><div id="topic-title"><h1><a class="fancy-title" href="/t/stone/1">${TITLE}</a></h1></div>
        <div class="posts-wrapper"><div class="post-stream">${eachFlat(
          posts,
          (
            { author, day, text },
            at,
          ) => `<div class="topic-post clearfix regular"><article id="post_${at}" role="region" class="boxed onscreen-post">
          <div class="row"><div class="topic-avatar"><a class="trigger-user-card main-avatar" href="/u/${author}"><img class="avatar" src="/a.png"></a></div>
          <div class="topic-body clearfix"><div role="heading" class="topic-meta-data"><div class="names trigger-user-card"><span class="first username"><a href="/u/${author}">${author}</a></span></div>
          <div class="post-infos"><div class="post-info post-date"><a class="post-date" href="/t/stone/1/${at}"><span title="March ${day}, 2024 1:47 am" data-time="1709516820000" class="relative-date">Mar ${day}</span></a></div></div></div>
          <div class="regular contents"><div class="cooked"><p>${text}</p></div><section class="post-menu-area"><nav class="post-controls"><button>Like</button><button>Share</button></nav></section></div></div></div></article></div>`,
        )}</div></div></div>`,
        '<meta name="generator" content="Discourse 3.2.0">',
      ),
  },
  vBulletin: {
    isNested: false,
    date: (day) => `03-0${day}-2024`,
    page: (posts) =>
      document(
        `<div id="pagetitle"><h1>Thread: <span class="threadtitle"><a href="showthread.php?1">${TITLE}</a></span></h1></div>
        <div id="postlist" class="postlist"><ol id="posts" class="posts">${eachFlat(
          posts,
          (
            { author, day, text },
            at,
          ) => `<li class="postbitlegacy postbitim postcontainer old" id="post_${at}">
          <div class="posthead"><span class="postdate old"><span class="date">03-0${day}-2024,&nbsp;<span class="time">01:47 AM</span></span></span>
          <span class="nodecontrols"><a href="showthread.php?1#post${at}" class="postcounter">#${at + 1}</a></span></div>
          <div class="postdetails"><div class="userinfo"><div class="username_container"><div class="popupmenu"><a class="username offline popupctrl" href="member.php?${at}"><strong>${author}</strong></a></div>
          <span class="usertitle">Grinder</span></div><dl class="userinfo_extra"><dt>Join Date</dt><dd>Jan 2001</dd><dt>Posts</dt><dd>120</dd></dl></div>
          <div class="postbody"><div class="postrow"><h2 class="title icon">Re: ${TITLE}</h2><div class="content"><div id="post_message_${at}"><blockquote class="postcontent restore">${text}</blockquote></div></div></div></div></div>
          <div class="postfoot"><div class="textcontrols"><a href="newreply.php?${at}">Reply With Quote</a></div></div></li>`,
        )}</ol></div>`,
        '<meta name="generator" content="vBulletin 4.2.5">',
      ),
  },
  XenForo: {
    isNested: false,
    date: monthDay,
    page: (posts) =>
      document(
        `<div class="p-body-main"><h1 class="p-title-value">${TITLE}</h1><div class="block-body js-replyNewMessageContainer">${eachFlat(
          posts,
          (
            { author, day, text },
            at,
          ) => `<article class="message message--post" data-author="${author}" id="js-post-${at}">
          <div class="message-inner"><div class="message-cell message-cell--user"><section class="message-user"><div class="message-userDetails"><h4 class="message-name"><a href="/members/${author}.1/" class="username">${author}</a></h4>
          <h5 class="userTitle message-userTitle">Grinder</h5></div><div class="message-userExtras"><dl class="pairs"><dt>Joined</dt><dd>Jan 2, 2001</dd></dl></div></section></div>
          <div class="message-cell message-cell--main"><div class="message-main"><header class="message-attribution"><ul><li><a href="/threads/1/post-${at}"><time class="u-dt" datetime="${iso(day)}">${monthDay(day)}</time></a></li><li><a href="/threads/1/post-${at}">#${at + 1}</a></li></ul></header>
          <div class="message-content"><article class="message-body js-selectToQuote"><div class="bbWrapper">${text}</div></article></div>
          <footer class="message-footer"><a href="/posts/${at}/reply">Reply</a></footer></div></div></div></article>`,
        )}</div></div>`,
      ),
  },
  Lobsters: {
    isNested: true,
    date: hoursAgo,
    page: (posts) => {
      const comment = ({
        author,
        day,
        text,
        replies,
      }: Post): string => `<li class="comments_subtree"><input class="comment_folder_button" type="checkbox"><div class="comment">
        <div class="voters"><a class="upvoter">3</a></div><div class="details"><div class="byline"><a href="/~${author}"><img class="avatar" src="/a.png"></a> <a href="/~${author}">${author}</a> ${time(day, hoursAgo(day))} | <a href="/c/${author}">link</a></div>
        <div class="comment_text"><p>${text}</p></div></div></div><ol class="comments">${each(replies, comment)}</ol></li>`;
      const [story, ...others] = posts;
      return document(`<div id="inside"><ol class="stories list"><li class="story"><div class="story_liner h-entry"><div class="details"><span role="heading" aria-level="1" class="link h-cite"><a class="u-url" href="https://a.example/stone">${TITLE}</a></span>
        <div class="byline"><a href="/~${story!.author}"><img class="avatar" src="/a.png"></a><span> via </span><a class="u-author h-card" href="/~${story!.author}">${story!.author}</a> ${time(story!.day, hoursAgo(story!.day))} | <span class="comments_label"><a href="/s/1">3 comments</a></span></div></div></div></li></ol>
        <div class="story_content"><div class="story_text"><p>${story!.text}</p></div></div>
        <ol class="comments comments1">${each([...(story!.replies ?? []), ...others], comment)}</ol></div>`);
    },
  },
  'Hacker News': {
    isNested: true,
    date: hoursAgo,
    page: (posts) => {
      const comment = (
        { author, day, text, replies }: Post,
        depth: number,
      ): string => `<tr class="athing comtr"><td><table border="0"><tr><td class="ind" indent="${depth}"><img src="s.gif" height="1" width="${40 * depth}"></td>
        <td valign="top" class="votelinks"><a href="vote?id=1"><div class="votearrow" title="upvote"></div></a></td><td class="default"><div><span class="comhead"><a href="user?id=${author}" class="hnuser">${author}</a> <span class="age" title="${iso(day)}"><a href="item?id=1">${hoursAgo(day)}</a></span> <span class="navs"> | <a href="#2">next</a> <a class="togg">[–]</a></span></span></div>
        <div class="comment"><div class="commtext c00">${text}</div><div class="reply"><p><u><a href="reply?id=1">reply</a></u></p></div></div></td></tr></table></td></tr>${each(replies, (reply) => comment(reply, depth + 1))}`;
      const [story, ...others] = posts;
      return document(`<center><table id="hnmain" border="0"><tr><td><table class="fatitem" border="0"><tr class="athing"><td class="title"><span class="titleline"><a href="https://a.example/stone">${TITLE}</a></span></td></tr>
        <tr><td class="subtext"><span class="score">42 points</span> by <a href="user?id=${story!.author}" class="hnuser">${story!.author}</a> <span class="age" title="${iso(story!.day)}"><a href="item?id=1">${hoursAgo(story!.day)}</a></span></td></tr><tr><td><div class="toptext">${story!.text}</div></td></tr></table>
        <table border="0" class="comment-tree">${each([...(story!.replies ?? []), ...others], (post) => comment(post, 0))}</table></td></tr></table></center>`);
    },
  },
  'old Reddit': {
    isNested: true,
    date: hoursAgo,
    page: (posts) => {
      const comment = ({
        author,
        day,
        text,
        replies,
      }: Post): string => `<div class="thing comment"><div class="midcol unvoted"><div class="arrow up"></div></div><div class="entry unvoted"><p class="tagline"><a href="#" class="expand">[–]</a><a href="https://old.reddit.test/user/${author}" class="author may-blank">${author}</a> <span class="score unvoted">3 points</span> ${time(day, hoursAgo(day), 'class="live-timestamp"')}</p>
        <form action="#" class="usertext"><div class="usertext-body may-blank-within md-container"><div class="md"><p>${text}</p></div></div></form><ul class="flat-list buttons"><li><a href="/c/1" class="bylink">permalink</a></li><li><a href="#" class="embed-comment">embed</a></li></ul></div>
        <div class="child"><div class="sitetable listing">${each(replies, comment)}</div></div></div>`;
      const [story, ...others] = posts;
      return document(`<div class="content" role="main"><div id="siteTable" class="sitetable linklisting"><div class="thing link self"><div class="entry unvoted"><div class="top-matter"><p class="title"><a class="title may-blank" href="/r/mill/comments/1/">${TITLE}</a></p>
        <p class="tagline">submitted ${time(story!.day, hoursAgo(story!.day), 'class="live-timestamp"')} by <a href="https://old.reddit.test/user/${story!.author}" class="author may-blank">${story!.author}</a></p></div><div class="expando"><form action="#" class="usertext"><div class="usertext-body may-blank-within md-container"><div class="md"><p>${story!.text}</p></div></div></form></div></div></div></div>
        <div class="commentarea"><div class="panestack-title"><span class="title">all 3 comments</span></div><div class="sitetable nestedlisting">${each([...(story!.replies ?? []), ...others], comment)}</div></div></div>`);
    },
  },
  'new Reddit': {
    isNested: true,
    date: (day) => `${day}h ago`,
    page: (posts) => {
      const ago = (day: number) =>
        `<faceplate-timeago ts="${iso(day)}">${time(day, `${day}h ago`)}</faceplate-timeago>`;
      const comment = (
        { author, day, text, replies }: Post,
        depth: number,
      ): string => `<shreddit-comment author="${author}" depth="${depth}" thingid="t1_${author}"><div slot="commentAvatar"></div>
        <div slot="commentMeta" class="flex flex-row"><faceplate-tracker><a href="/user/${author}/" class="truncate font-bold">${author}</a></faceplate-tracker><span>•</span>${ago(day)}</div>
        <div slot="comment" class="md text-14"><div class="inline-block"><p>${text}</p></div></div><shreddit-comment-action-row slot="actionRow"><button>Reply</button></shreddit-comment-action-row>${each(replies, (reply) => comment(reply, depth + 1))}</shreddit-comment>`;
      const [story, ...others] = posts;
      return document(`<main id="main-content"><shreddit-post author="${story!.author}"><div slot="credit-bar"><span><a href="/user/${story!.author}/" class="author-name">${story!.author}</a></span>${ago(story!.day)}</div>
        <h1 slot="title">${TITLE}</h1><div slot="text-body"><div class="md"><p>${story!.text}</p></div></div></shreddit-post>
        <shreddit-comment-tree>${each([...(story!.replies ?? []), ...others], (post) => comment(post, 0))}</shreddit-comment-tree></main>`);
    },
  },
  Mastodon: {
    isNested: false,
    date: (day) => `Mar 0${day}, 2024`,
    page: (posts) =>
      document(
        `<div class="container"><div class="grid"><div class="activity-stream h-entry">${eachFlat(
          posts,
          (
            { author, day, text },
            at,
          ) => `<div class="entry"><div class="status"><div class="status__info"><a class="status__relative-time u-url" href="https://m.example/@${author}/${at}"><time class="time-ago" datetime="${iso(day)}" title="Mar 0${day}, 2024, 01:47">Mar 0${day}, 2024</time></a>
        <div class="p-author h-card"><a class="status__display-name u-url" href="https://m.example/@${author}"><div class="status__avatar"></div><span class="display-name"><bdi><strong class="display-name__html p-name">${author}</strong></bdi> <span class="display-name__account">@${author}@m.example</span></span></a></div></div>
        <div class="status__content emojify"><div class="e-content" lang="en"><p>${text}</p></div></div><div class="status__action-bar"><a class="icon-button" href="/interact/${at}">Boost</a></div></div></div>`,
        )}</div></div></div>`,
      ),
  },
  Nitter: {
    isNested: false,
    date: (day) => `Mar ${day}`,
    page: (posts) => {
      const tweet = ({
        author,
        day,
        text,
      }: Post) => `<div class="timeline-item"><div class="tweet-body"><div><div class="tweet-header"><a class="tweet-avatar" href="/${author}"><img class="avatar" src="/a.png"></a><div class="tweet-name-row"><div class="fullname-and-username"><a class="fullname" href="/${author}" title="${author}">${author}</a><a class="username" href="/${author}">@${author}</a></div>
        <span class="tweet-date"><a href="/${author}/status/1#m" title="Mar ${day}, 2024 · 1:47 AM UTC">Mar ${day}</a></span></div></div></div><div class="tweet-content media-body" dir="auto">${text}</div>
        <div class="tweet-stats"><span class="tweet-stat"><div class="icon-container"><span class="icon-comment"></span> 12</div></span></div></div></div>`;
      const [first, ...others] = flat(posts);
      return document(`<div class="conversation"><div class="main-thread"><div id="m" class="main-tweet">${tweet(first!)}</div></div>
        <div id="r" class="replies">${each(others, (post) => `<div class="reply thread thread-line">${tweet(post)}</div>`)}</div></div>`);
    },
  },
  'Stack Exchange': {
    isNested: false,
    date: (day) => `Mar ${day} at 1:47`,
    page: (posts) => {
      const comment = ({ author, day, text }: Post) =>
        `<li class="comment js-comment"><div class="comment-actions"><span class="cool">2</span></div><div class="comment-text"><div class="comment-body"><span class="comment-copy">${text}</span> – <div class="d-inline-flex"><a href="/users/1/${author}" class="comment-user">${author}</a></div> <span class="comment-date"><a class="comment-link" href="#c1"><span title="${iso(day)}" class="relativetime-clean">Mar ${day} at 1:47</span></a></span></div></div></li>`;
      const post = (
        { author, day, text, replies }: Post,
        kind: string,
      ) => `<div class="post-layout"><div class="votecell post-layout--left"><div class="js-vote-count">12</div></div>
        <div class="${kind}cell post-layout--right"><div class="s-prose js-post-body" itemprop="text"><p>${text}</p></div>
        <div class="mt24"><div class="d-flex"><div class="js-post-menu"><a href="/q/1" class="js-share-link">Share</a></div><div class="post-signature"><div class="user-info"><div class="user-action-time"> answered <span title="${iso(day)}" class="relativetime">Mar ${day} at 1:47</span></div><div class="user-details" itemprop="author" itemscope><a href="/users/2/${author}">${author}</a><span class="d-none" itemprop="name">${author}</span><div class="-flair"><span class="reputation-score">1,234</span></div></div></div></div></div></div></div>
        <div class="post-layout--right js-post-comments-component"><div class="comments js-comments-container"><ul class="comments-list">${each(flat(replies ?? []), comment)}</ul></div></div></div>`;
      const [question, ...answers] = posts;
      return document(`<div id="content"><div itemscope itemtype="https://schema.org/Question"><div id="question-header"><h1><a href="/q/1" class="question-hyperlink">${TITLE}</a></h1></div><div id="mainbar"><div class="question" id="question">${post(question!, 'post')}</div>
        <div id="answers"><h2>${answers.length} Answers</h2>${each(answers, (answer) => `<div class="answer js-answer">${post(answer, 'answer')}</div>`)}</div></div></div></div>`);
    },
  },
  'GitHub issues': {
    isNested: false,
    date: monthDay,
    page: (posts) =>
      document(
        `<main><h1 class="gh-header-title"><bdi class="js-issue-title">${TITLE}</bdi> <span>#1</span></h1><div class="js-discussion">${eachFlat(
          posts,
          (
            { author, day, text },
            at,
          ) => `<div class="TimelineItem js-comment-container"><div class="timeline-comment-group"><div class="timeline-comment comment"><div class="timeline-comment-header clearfix"><h3 class="f5 text-normal"><div><strong><a class="author Link--primary" href="/${author}">${author}</a></strong> commented <a href="#c${at}" class="Link--secondary js-timestamp"><relative-time datetime="${iso(day)}" class="no-wrap">${monthDay(day)}</relative-time></a></div></h3></div>
        <div class="edit-comment-hide"><task-lists><table><tbody><tr><td class="d-block comment-body markdown-body js-comment-body"><p>${text}</p></td></tr></tbody></table></task-lists></div></div></div></div>`,
        )}</div></main>`,
      ),
  },
  Disqus: {
    isNested: true,
    date: (day) => `${day} days ago`,
    page: (posts) => {
      const comment = ({
        author,
        day,
        text,
        replies,
      }: Post): string => `<li class="post"><div class="post-content"><div class="indicator"></div><div class="avatar hovercard"><a href="https://disqus.test/by/${author}/" class="user"><img src="/a.png" alt="Avatar"></a></div>
        <div class="post-body"><header class="comment__header"><span class="post-byline"><span class="author publisher-anchor-color"><a href="https://disqus.test/by/${author}/">${author}</a></span></span> <span class="post-meta"><a href="/#c" class="time-ago" title="Monday, March ${day}, 2024 1:47 AM">${day} days ago</a></span></header>
        <div class="post-body-inner"><div class="post-message-container"><div class="publisher-anchor-color"><div class="post-message"><div><p>${text}</p></div></div></div></div></div>
        <footer class="comment__footer"><ul><li class="voting"><a href="#" class="vote-up"><span class="count">2</span></a></li><li class="reply"><a href="#"><span class="text">Reply</span></a></li></ul></footer></div></div><ul class="children">${each(replies, comment)}</ul></li>`;
      return document(
        `<div id="layout"><div id="posts"><ul id="post-list" class="post-list">${each(posts, comment)}</ul></div></div>`,
      );
    },
  },
  Lemmy: {
    isNested: true,
    date: hoursAgo,
    page: (posts) => {
      const by = ({ author, day }: Post) =>
        `<a class="person-listing d-inline-flex" href="/u/${author}"><span>${author}</span></a> <span class="moment-time pointer unselectable" data-tippy-content="${iso(day)}">${hoursAgo(day)}</span>`;
      const comment = (
        post: Post,
      ): string => `<li class="comment list-unstyled"><article class="details comment-node py-2"><div class="ms-2"><div class="d-flex flex-wrap"><button class="btn btn-sm">-</button>${by(post)}</div><div class="comment-content"><div class="md-div"><p>${post.text}</p></div><div class="d-flex justify-content-between"><button class="btn">2</button></div></div></div></article>
        <ul class="comments">${each(post.replies, comment)}</ul></li>`;
      const [story, ...others] = posts;
      return document(`<main class="post container-lg"><div class="post-listing mt-2"><h1 class="h4">${TITLE}</h1><div class="small">${by(story!)}</div><article id="postContent" class="col-12 card my-2"><div class="md-div"><p>${story!.text}</p></div></article></div>
        <ul class="comments">${each([...(story!.replies ?? []), ...others], comment)}</ul></main>`);
    },
  },
  Bluesky: {
    isNested: false,
    date: (day) => `${day}h`,
    page: (posts) =>
      document(
        `<div id="root"><div class="css-175oi2r"><div class="css-175oi2r r-13awgt0">${eachFlat(
          posts,
          (
            { author, day, text },
            at,
          ) => `<div class="css-175oi2r r-1loqt21"><div data-testid="postThreadItem-by-${author}" class="css-175oi2r"><div class="css-175oi2r"><a href="/profile/${author}.example" class="css-175oi2r r-1loqt21"><img src="/a.png"></a></div><div class="css-175oi2r r-13awgt0"><div class="css-175oi2r r-18u37iz"><a href="/profile/${author}.example" class="css-146c3p1"><span>${author}</span></a> <a href="/profile/${author}.example" class="css-146c3p1"><span>@${author}.example</span></a>
        <a href="/profile/${author}.example/post/${at}" aria-label="March ${day}, 2024 at 1:47 AM" class="css-146c3p1">${day}h</a></div><div data-testid="postText" class="css-146c3p1 r-8akbws">${text}</div><div class="css-175oi2r"><button aria-label="Reply">3</button><button aria-label="Like">9</button></div></div></div></div>`,
        )}</div></div></div>`,
      ),
  },
  HyperKitty: {
    isNested: false,
    date: (day) => `${day} Mar 2024`,
    page: (posts) =>
      document(
        `<div class="container"><div class="thread"><div class="row thread-header"><h3>${TITLE}</h3></div>${eachFlat(
          posts,
          (
            { author, day, text },
            at,
          ) => `<div class="email"><div id="email-${at}" class="email-header"><div class="row"><div class="gravatar-wrapper"><div class="gravatar"><img class="gravatar" src="/a.png"></div><div class="email-author"><div class="email-author-name"><a href="/users/${at}/" title="See the profile for ${author}">${author}</a></div></div></div>
        <div class="email-date right"><div class="time"><span title="Sender's time: March ${day}, 2024, 1:47 a.m.">${day} Mar 2024</span></div><div><span class="time">1:47 a.m.</span></div></div></div></div><div class="email-body "><p>${text}</p></div>
        <div class="email-info"><a href="/vote/${at}" class="youlike vote">0</a> <a href="/reply/${at}" class="reply">Reply</a></div></div>`,
        )}</div></div>`,
      ),
  },
  'questions in WordPress': {
    isNested: false,
    date: hoursAgo,
    page: (posts) => {
      const cell = (
        { author, day, text }: Post,
        kind: string,
      ) => `<div class="ap-avatar"><a href="/profile/${author}/"><img class="avatar" src="/a.png"></a></div><div class="ap-cell"><div class="ap-cell-inner"><div class="ap-q-metas"><span class="ap-author" itemprop="author" itemscope><a href="/profile/${author}/" itemprop="url"><span itemprop="name">${author}</span></a></span> <a href="/q/1" class="ap-posted">${time(day, hoursAgo(day), 'itemprop="datePublished"')}</a></div>
        <div class="ap-q-inner"><div class="${kind}-content" itemprop="text"><p>${text}</p></div></div></div></div>`;
      const [question, ...answers] = flat(posts);
      return document(
        `<main id="site-content"><article class="page type-page"><h1 class="entry-title">${TITLE}</h1><div class="entry-content"><div id="anspress" class="anspress"><div class="ap-question-lr"><div id="question" class="ap-question-cells">${cell(question!, 'question')}</div>
        <apanswers id="ap-answers"><div class="ap-sorting-tab"><h3>3 Answers</h3></div><div class="ap-answers">${each(answers, (answer) => `<div class="answer ap-post-answer">${cell(answer, 'answer')}</div>`)}</div></apanswers></div></div></div></article></main>`,
        '<meta name="generator" content="WordPress 6.4">',
        'class="question-template-default single single-question"',
      );
    },
  },
  'comments of WordPress': {
    isNested: true,
    date: (day) => `March ${day}, 2024 at 1:47 am`,
    page: (posts) => {
      const comment = ({
        author,
        day,
        text,
        replies,
      }: Post): string => `<li class="comment even depth-1 parent"><article class="comment-body"><footer class="comment-meta"><div class="comment-author vcard"><img class="avatar" src="/a.png"><b class="fn"><a href="https://${author}.example" rel="ugc" class="url">${author}</a></b> <span class="says">says:</span></div><div class="comment-metadata"><a href="#c">${time(day, `March ${day}, 2024 at 1:47 am`)}</a></div></footer>
        <div class="comment-content"><p>${text}</p></div><div class="reply"><a rel="nofollow" class="comment-reply-link" href="#r">Reply</a></div></article><ol class="children">${each(replies, comment)}</ol></li>`;
      return document(
        `<div id="content"><h1 class="entry-title">Guest book</h1><div id="comments" class="comments-area"><h2 class="comments-title">3 thoughts</h2><ol class="comment-list">${each(posts, comment)}</ol></div></div>`,
        '<meta name="generator" content="WordPress 6.4">',
      );
    },
  },
  'a forum of tables': {
    isNested: false,
    date: (day) => `03-0${day}-2004 01:47 AM`,
    page: (posts) =>
      document(
        `<font size="4"><b>${TITLE}</b></font><table border="0" width="95%"><tr><th>Author</th><th>Topic: ${TITLE}</th></tr>${eachFlat(
          posts,
          (
            { author, day, text },
            at,
          ) => `<tr bgcolor="#${at % 2 ? 'dddddd' : 'eeeeee'}"><td valign="top" width="18%"><font size="2"><b>${author}</b></font><br><font size="1">Member # ${at + 300}</font></td>
        <td valign="top"><font size="1">posted 03-0${day}-2004 01:47 AM</font><hr size="1"><font size="2">${text}</font></td></tr>`,
        )}</table>`,
      ),
  },
};
