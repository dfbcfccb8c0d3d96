DELETE FROM alerts WHERE channel = 'email';
DROP TABLE alert_mails;
DROP FUNCTION alert_may_reach(alerts, text);
